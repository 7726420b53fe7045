"""Makes response models from stored records; knows no HTTP."""
