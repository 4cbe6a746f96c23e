"""nbgrader on a student's server: where sets are fetched and submitted. The hub says it (see jupyterhub_config.py)."""

import os

c = get_config()
c.CourseDirectory.course_id = "attention"
# Else nbgrader wants to write into the exchange's root, which is not the student's.
c.CourseDirectory.groupshared = True
c.Exchange.root = os.environ.get("EXCHANGE", "/srv/exchange")
