"""Keeps one LibreOffice running and converts one document after another to PDF.

Started with the folder of the profile. Reads a request a line from file 3, writes an answer a line to file 4. Ends when
LibreOffice ends, so that the pool starts a new one.
"""
import json
import os
import subprocess
import sys
import time

import uno
from com.sun.star.beans import PropertyValue

import documents

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
    ('org.openoffice.Office.Common/Cache/GraphicManager', 'GraphicMemoryLimit', 'long', '300000000'),
    ('org.openoffice.Office.Recovery/AutoSave', 'Enabled', 'boolean', 'false'),
    ('org.openoffice.Office.Recovery/RecoveryInfo', 'Enabled', 'boolean', 'false'),
    ('org.openoffice.Office.Writer/Content/Update', 'Link', 'int', '0'),
    ('org.openoffice.Office.Calc/Content/Update', 'Link', 'int', '2'),
    ('org.openoffice.Office.Calc/Formula/Load', 'OOXMLRecalcMode', 'int', '1'),
    ('org.openoffice.Office.Calc/Formula/Load', 'ODFRecalcMode', 'int', '1'),
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
    command = [PROGRAM, *FLAGS, f'--accept=pipe,name={PIPE};urp;', f'-env:UserInstallation=file://{folder}']
    devnull = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=devnull, stdout=devnull, stderr=devnull)


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
            return office, remote.ServiceManager.createInstanceWithContext('com.sun.star.frame.Desktop', remote)
        except Exception:
            time.sleep(0.02)
    sys.exit('LibreOffice ended before it answered')


def has_ended(office):
    """An office that crashes closes its pipe shortly before its process has ended."""
    try:
        office.wait(timeout=1)
        return True
    except subprocess.TimeoutExpired:
        return False


def answer(office, desktop, request):
    try:
        return documents.convert(desktop, request)
    except documents.Failure as failure:
        return {'failure': failure.kind, **failure.facts}
    except Exception as error:
        detail = str(error).split('\n')[0][:200] or type(error).__name__
        is_lost = 'DisposedException' in type(error).__name__ or 'Binary URP' in detail
        if not is_lost:
            return {'failure': 'unreadable', 'detail': detail}
        # Killed from outside says nothing about the document: the pool runs the call again.
        if has_ended(office) and office.returncode == -9:
            sys.exit('LibreOffice was killed')
        return {'failure': 'crashed'}


def main():
    office, desktop = connect(sys.argv[1])
    with os.fdopen(3, 'r', encoding='utf-8') as requests, os.fdopen(4, 'w', encoding='utf-8') as answers:
        def send(message):
            answers.write(json.dumps(message) + '\n')
            answers.flush()

        send({'ready': True})
        for line in requests:
            reply = answer(office, desktop, json.loads(line))
            send(reply)
            if reply.get('failure') == 'crashed':
                break
    office.kill()


main()
