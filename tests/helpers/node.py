"""What the page's own scripts compute: each script in tests/unit/js reads a question as JSON and writes its answer."""

import json
import subprocess


def ask(script, request):
    """What a script in tests/unit/js answers."""
    command = ["node", f"tests/unit/js/{script}.mjs"]
    result = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=True)
    return json.loads(result.stdout)
