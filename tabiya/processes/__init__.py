"""Child processes: started, limited, tied to their parent, ended."""
