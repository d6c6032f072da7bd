"""Keeps one LibreOffice running and lets it convert one document after another to PDF.

Started with the folder of the profile. Reads a request a line from file 3, writes an answer a line to file 4. Ends when
LibreOffice ends, so that the pool starts a new one.
"""
import os
import subprocess
import sys
import time

import uno
from com.sun.star.beans import NamedValue

import windows

CONVERTER = uno.systemPathToFileUrl(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'converter.py'))
CRASHED = '{"failure": "crashed"}'
PROGRAM = '/usr/lib/libreoffice/program/soffice.bin'
# Without a sandbox, all processes find their pipes in one folder.
PIPE = f'coinop-{os.getpid()}'
FLAGS = ['--headless', '--invisible', '--nocrashreport', '--nodefault', '--norestore', '--nologo', '--nofirststartwizard']

# Macros never run, links are never updated, nothing is fetched and nothing is kept between documents.
SETTINGS = [
    ('org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', 'int', '3'),
    ('org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'boolean', 'true'),
    ('org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'boolean', 'true'),
    ('org.openoffice.Office.Common/Security/Scripting', 'DisableActiveContent', 'boolean', 'true'),
    ('org.openoffice.Office.Common/Misc', 'UseLocking', 'boolean', 'false'),
    ('org.openoffice.Office.Common/History', 'PickListSize', 'int', '0'),
    ('org.openoffice.Office.Common/Save/Document', 'CreateBackup', 'boolean', 'false'),
    ('org.openoffice.Office.Recovery/AutoSave', 'Enabled', 'boolean', 'false'),
    ('org.openoffice.Office.Recovery/RecoveryInfo', 'Enabled', 'boolean', 'false'),
    ('org.openoffice.Office.Writer/Content/Update', 'Link', 'int', '0'),
    ('org.openoffice.Office.Calc/Content/Update', 'Link', 'int', '2'),
    ('org.openoffice.Office.Calc/Formula/Load', 'OOXMLRecalcMode', 'int', '1'),
    ('org.openoffice.Office.Calc/Formula/Load', 'ODFRecalcMode', 'int', '1'),
    # A profile of an older version lets every start draw 60 tests of graphics first: three quarters of its time.
    ('org.openoffice.Setup/Product', 'ooSetupLastVersion', 'string', '99.9'),
]


def write_profile(folder):
    items = ''.join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse" oor:type="xs:{kind}"><value>{value}</value></prop></item>'
        for path, name, kind, value in SETTINGS
    )
    os.makedirs(f'{folder}/user', exist_ok=True)
    with open(f'{folder}/user/registrymodifications.xcu', 'w') as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
            f'xmlns:xs="http://www.w3.org/2001/XMLSchema">{items}</oor:items>'
        )


def start_office(folder):
    profile = f'-env:UserInstallation=file://{folder}'
    command = [PROGRAM, *FLAGS, f'--accept=pipe,name={PIPE};urp;', profile, *windows.find_share(folder)]
    devnull = subprocess.DEVNULL
    # The Python inside must not write beside our code either.
    env = {**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'}
    return subprocess.Popen(command, stdin=devnull, stdout=devnull, stderr=devnull, env=env)


# A new profile makes it end with this code, to be started again; without a folder that it can write to, each time.
RESTART = 81
MAX_RESTARTS = 3


def connect(folder):
    write_profile(folder)
    office = start_office(folder)
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', local)
    restarts = 0
    while office.poll() is None or (office.returncode == RESTART and restarts < MAX_RESTARTS):
        if office.returncode == RESTART:
            restarts += 1
            office = start_office(folder)
        try:
            remote = resolver.resolve(f'uno:pipe,name={PIPE};urp;StarOffice.ComponentContext')
            return office, load_converter(remote)
        except Exception:
            time.sleep(0.02)
    sys.exit('LibreOffice ended before it answered')


def load_converter(remote):
    loader = remote.ServiceManager.createInstanceWithContext('com.sun.star.loader.Python', remote)
    return loader.activate('coinop.Converter', '', CONVERTER, None).createInstanceWithContext(remote)


def has_ended(office):
    """An office that crashes closes its pipe shortly before its process has ended."""
    try:
        office.wait(timeout=1)
        return True
    except subprocess.TimeoutExpired:
        return False


def answer(office, converter, request):
    try:
        return converter.execute((NamedValue('request', request),))
    except Exception:
        # Killed from outside says nothing about the document: the pool runs the call again.
        if has_ended(office) and office.returncode == -9:
            sys.exit('LibreOffice was killed')
        return CRASHED


def main():
    office, converter = connect(sys.argv[1])
    with os.fdopen(3, 'r', encoding='utf-8') as requests, os.fdopen(4, 'w', encoding='utf-8') as answers:
        def send(message):
            answers.write(message + '\n')
            answers.flush()

        send('{"ready": true}')
        for line in requests:
            reply = answer(office, converter, line)
            send(reply)
            if reply == CRASHED:
                break
    office.kill()


main()
