"""A hub for a class. README.md beside this file says how it is used; all settings come from the environment:

HUB_DATA      where all data lies: names, passwords, homes, the exchange
HUB_STUDENTS  the list of names, a CSV with the column student; students.csv in HUB_DATA, unless LTI is used
HUB_ADMINS    names, with commas, that may stop other people's servers
HUB_ADDRESS   where the hub listens, behind a proxy with TLS: 127.0.0.1:8000
HUB_MEMORY, HUB_CPU, HUB_IDLE   at most, for each student: 2G, 1 core, and 3600 s without use
LTI_ISSUER, LTI_CLIENT_ID, LTI_AUTHORIZE_URL, LTI_JWKS_URL   LTI 1.3, all four; LTI_USERNAME: which claim is the name, email
HUB_TRIAL     1: everybody is the same user of this machine, with nothing between students, and only this machine is served
"""

import ipaddress
import math
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import people

c = get_config()
said = os.environ.get
trial = said("HUB_TRIAL") == "1"
root = os.getuid() == 0

if not said("HUB_DATA"):
    raise people.Refused("Say where the hub's data lies: HUB_DATA=/srv/attention.")
data = Path(said("HUB_DATA")).resolve()
address, _, port = said("HUB_ADDRESS", "127.0.0.1:8000").rpartition(":")
try:
    here = ipaddress.ip_address(address.strip("[]")).is_loopback
except ValueError:
    here = address == "localhost"
if trial and not here:
    raise people.Refused(
        f"HUB_ADDRESS={address}:{port}: a trial has no wall between students, so it serves this machine alone. "
        "Leave HUB_ADDRESS out, or see deploy/hub/README.md for a real server."
    )
if not trial and not root:
    raise people.Refused(
        "A hub for a class starts each student's server with an account of its own, and needs root for it. "
        "To try one here: make hub."
    )

os.environ["PATH"] = f"{Path(sys.prefix, 'bin')}:{os.environ['PATH']}"  # the proxy's Node may be there
state = data / "state"
state.mkdir(parents=True, exist_ok=True)
data.chmod(0o711)
state.chmod(0o700)

# The hub
c.JupyterHub.bind_url = f"http://{address}:{port}"
c.JupyterHub.hub_port = int(said("HUB_PORT", "8081"))
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{said('HUB_PROXY_PORT', '8001')}"
c.JupyterHub.db_url = f"sqlite:///{state / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(state / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(state / "proxy.pid")
c.ConfigurableHTTPProxy.command = [str(Path(sys.prefix, "bin", "configurable-http-proxy"))]

# Who
lti = {name: said(f"LTI_{name}", "") for name in ("ISSUER", "CLIENT_ID", "AUTHORIZE_URL", "JWKS_URL")}
missing = [f"LTI_{name}" for name, value in lti.items() if not value]
c.Authenticator.username_pattern = people.NAME
c.Authenticator.allow_existing_users = False  # who is taken off the list is out
c.Authenticator.admin_users = admins = {people.name(one) for one in said("HUB_ADMINS", "").split(",") if one.strip()}
if len(missing) < len(lti):
    if missing:
        raise people.Refused(f"LTI 1.3 needs all of its settings; missing: {', '.join(missing)}.")
    c.JupyterHub.authenticator_class = "ltiauthenticator.lti13.auth.LTI13Authenticator"
    c.LTI13Authenticator.issuer = lti["ISSUER"]
    c.LTI13Authenticator.client_id = {one.strip() for one in lti["CLIENT_ID"].split(",")}
    c.LTI13Authenticator.authorize_url = lti["AUTHORIZE_URL"]
    c.LTI13Authenticator.jwks_endpoint = lti["JWKS_URL"]
    c.LTI13Authenticator.username_key = said("LTI_USERNAME", "email")
    if said("HUB_STUDENTS"):
        c.Authenticator.allowed_users = people.roster(Path(said("HUB_STUDENTS")))
    else:
        c.Authenticator.allow_all = True  # whom the platform sends
else:
    sheet = Path(said("HUB_STUDENTS") or data / "students.csv")
    if trial and not said("HUB_STUDENTS") and not sheet.exists():
        sheet.write_text("student\nanna\nben\ncarla\n")
    c.Authenticator.allowed_users = students = people.roster(sheet)
    c.JupyterHub.authenticator_class = "firstuseauthenticator.FirstUseAuthenticator"
    c.FirstUseAuthenticator.create_users = False  # a name that is not in the list has no password, and gets none
    c.FirstUseAuthenticator.dbm_path = str(state / "passwords.dbm")
    given = people.passwords(students | admins, state / "passwords.dbm", data / "passwords.csv")
    if given:
        print(f"{len(given)} names got a password: {data / 'passwords.csv'}", file=sys.stderr)

listed = Path(said("HUB_STUDENTS") or data / "students.csv")
if listed.exists() and listed.resolve().parent == data.resolve():
    listed.chmod(0o600)  # it may say what was granted to whom, and everybody may pass through the folder

# What a student gets
c.Spawner.cmd = [str(Path(sys.prefix, "bin", "student-server"))]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # where a whole class starts at one time
c.Spawner.mem_limit = said("HUB_MEMORY", "2G")
c.Spawner.cpu_limit = cores = float(said("HUB_CPU", "1"))
c.Spawner.environment = {
    "EXCHANGE": lambda spawner: str(data / "own" / spawner.user.name),
    "OMP_NUM_THREADS": str(math.ceil(cores)),  # else NumPy and torch start a thread for each core of the machine
}
people.exchange(data)
if trial:
    c.JupyterHub.spawner_class = "simple"
    c.SimpleLocalProcessSpawner.home_dir_template = str(data / "homes" / "{username}")
    c.Spawner.args = ["--allow-root"] if root else []
    c.Spawner.pre_spawn_hook = lambda spawner: people.place(data, spawner.user.name) and None
    print(
        f"A TRIAL on http://{address}:{port}: all students are the same user of this machine{', root' if root else ''}. "
        "They can read each other's work, and this project with its solutions. Do not use it for a class.\n"
        f"Names and passwords: {data / 'passwords.csv'}",
        file=sys.stderr,
    )
else:
    people.teachers(data)
    people.accounts(data)

    def settle(spawner):
        spawner.username_template = people.settle(data, spawner.user.name)

    c.JupyterHub.spawner_class = "systemd"
    c.Spawner.pre_spawn_hook = settle
    c.SystemdSpawner.isolate_tmp = c.SystemdSpawner.isolate_devices = c.SystemdSpawner.disable_user_sudo = True
    c.SystemdSpawner.unit_extra_properties = {"ProtectProc": "invisible", "TasksMax": "256"}
    c.SystemdSpawner.unit_name_template = "attention-{USERID}"

# A server that nobody uses is stopped; its files stay.
scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
c.JupyterHub.load_roles = [{"name": "idle-culler", "scopes": scopes, "services": ["idle-culler"]}]
culler = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={int(said('HUB_IDLE', '3600'))}"]
c.JupyterHub.services = [{"name": "idle-culler", "command": culler}]
