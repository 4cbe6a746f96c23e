"""nbgrader on a student's server: where sets are fetched and submitted. The hub says it (see jupyterhub_config.py)."""

import os

c = get_config()
c.CourseDirectory.course_id = "attention"
c.Exchange.root = os.environ.get("EXCHANGE", "/srv/exchange")
