"""The practice table: ten guided hands, for dealers who learn the screen.

Theory of operation: Each lesson is a table script. The practice table shows one step of the script after the other as a
task in the alert band, such as "Seat 5 raises to 30". The dealer enters the step on the real screen. The table compares
the state after the dealer's step with the states after the next steps of the script. If one of them is equal, the
dealer may have used another key, such as a touch on the next seat for three folds, and the lesson continues from there.
A step that leads to no such state changes nothing, and the screen says so.

`PracticeTable` has the tasks and the comparison, without a clock or a socket. `serve_practice` connects it with a
screen.

Example: a fold that did not happen is refused.

    >>> from controller.practice import PracticeTable, load_lessons
    >>> from controller.steps import parse_step
    >>> table = PracticeTable(load_lessons())
    >>> [table.do(parse_step(line)) for line in ("4 sit 500", "6 sit 300", "hand")]
    [None, None, None]
    >>> table.do(parse_step("6 fold")).code
    'practice-wrong'
    >>> table.do(parse_step("6 call")) is None
    True
"""

from controller.practice.practice_server import serve_practice
from controller.practice.practice_table import LESSONS_DIR, PracticeRefusal, PracticeTable, load_lessons
from controller.practice.tasks import SHOW_TASK

__all__ = ["LESSONS_DIR", "SHOW_TASK", "PracticeRefusal", "PracticeTable", "load_lessons", "serve_practice"]
