"""Grades for points against staff bots, independent of classmates: for tournaments and `tabiya class run`.

formula          what a staff bot is worth, and the grade
game_counts      what one bot's games say beside their points
gradebook_names  the systems whose column layouts a person can ask for
gradebooks       the grades in those layouts
move_times       how long one player took for its moves
"""
