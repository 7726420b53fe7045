"""`tabiya class run`: a folder of submitted programs, each run here under limits, plays a tournament and is graded.

submissions        what a folder holds, found without running any of it
preparation        which programs play, in which version, by which rules
again              a finished run once more, with what has changed since
record             decisions and results in one file, so that a run can continue after a crash
check_submissions  the dry run: every submission through `tabiya check`, and how long all games will take
staff              staff bots and the formula of the grade
class_tournament   the stages of one run: server, accounts, games against staff, qualifier, final
bot_processes      the bots' processes: started, watched, restarted, ended
grades             who has earned what, from the stored games
similarity         which programs are alike, for the note
gradebooks         the grades for Moodle, Canvas and Gradescope
"""
