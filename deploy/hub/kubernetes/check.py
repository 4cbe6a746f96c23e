"""Check values.yaml against the schema of the Zero to JupyterHub chart that you have.

    python deploy/hub/kubernetes/check.py CHART

CHART is the chart as helm fetches it, a .tgz, or a folder with Chart.yaml, values.yaml and values.schema.yaml or
values.schema.json. As helm does, the chart's own values stand where ours say nothing.
"""

import sys
import tarfile
from pathlib import Path

import yaml
from jsonschema import Draft7Validator

VALUES = Path(__file__).resolve().parent / "values.yaml"
SCHEMAS = ("values.schema.json", "values.schema.yaml")
PARTS = ("Chart.yaml", "values.yaml", *SCHEMAS)


def chart(place: Path) -> tuple[str, dict, dict]:
    """The chart's version, with that of its JupyterHub, its values and its schema. Ends with a sentence for no chart."""
    try:
        if place.is_dir():
            texts = {name: (place / name).read_text() for name in PARTS if (place / name).exists()}
        else:
            with tarfile.open(place) as packed:
                texts = {}
                for name in PARTS:
                    if f"jupyterhub/{name}" in packed.getnames():
                        texts[name] = packed.extractfile(f"jupyterhub/{name}").read().decode()
    except (OSError, tarfile.TarError) as error:
        sys.exit(f"{place} cannot be read as a chart: {error}")
    schema = next((texts[name] for name in SCHEMAS if name in texts), None)
    if schema is None or not {*PARTS[:2]} <= {*texts}:
        sys.exit(f"{place} is no chart: it needs {', '.join(PARTS[:2])} and one of {', '.join(SCHEMAS)}.")
    about = yaml.safe_load(texts["Chart.yaml"])
    version = f"{about['version']}, with JupyterHub {about['appVersion']}"
    return version, yaml.safe_load(texts["values.yaml"]), yaml.safe_load(schema)


def merged(base: object, own: object) -> object:
    """Values as helm joins them."""
    if not (isinstance(base, dict) and isinstance(own, dict)):
        return own
    return base | {key: merged(base.get(key), value) for key, value in own.items()}


def mistakes(values: dict, schema: dict) -> list[str]:
    """A sentence for each thing in the values that the schema does not take."""
    found = sorted(Draft7Validator(schema).iter_errors(values), key=lambda one: one.json_path)
    return [f"{one.json_path}: {one.message}" for one in found]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Say which chart: python deploy/hub/kubernetes/check.py jupyterhub-4.3.2.tgz")
    version, values, schema = chart(Path(sys.argv[1]))
    found = mistakes(merged(values, yaml.safe_load(VALUES.read_text())), schema)
    print("\n".join(found) or f"{VALUES.name} fits the schema of chart {version}.")
    sys.exit(bool(found))
