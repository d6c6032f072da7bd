"""Describes the window of a comment for LibreOffice packages that come without windows.

Writer makes this window for each comment that it lays out, and ends where its description is missing.
"""
import os

INSTALLED = '/usr/lib/libreoffice'
WINDOW = 'share/config/soffice.cfg/modules/swriter/ui/annotation.ui'
MENU = ['reply', 'resolve', 'unresolve', 'resolvethread', 'unresolvethread']
MENU += ['delete', 'deletethread', 'deleteby', 'deleteall', 'formatall']


def find_share(folder):
    """Options by which LibreOffice finds the description: in a copy of its folder, made of links."""
    if os.path.exists(f'{INSTALLED}/{WINDOW}'):
        return []
    copy = os.path.abspath(f'{folder}/office')
    if not os.path.exists(f'{copy}/{WINDOW}'):
        link_folders(copy)
        with open(f'{copy}/{WINDOW}', 'w') as file:
            file.write(describe_window())
    # It is read as a path below that of the installation.
    return [f'-env:BRAND_SHARE_SUBDIR={os.path.relpath(f"{copy}/share", INSTALLED)}']


def link_folders(copy):
    """Every entry beside the path of the window is a link; the folders of that path are new."""
    below = ''
    for part in WINDOW.split('/'):
        os.makedirs(f'{copy}/{below}', exist_ok=True)
        source = f'{INSTALLED}/{below}'
        for name in os.listdir(source) if os.path.isdir(source) else []:
            if name != part and not os.path.lexists(f'{copy}/{below}{name}'):
                os.symlink(f'{source}{name}', f'{copy}/{below}{name}')
        below += f'{part}/'


def describe_window():
    items = ''.join(child('MenuItem', name) for name in MENU)
    text = child('ScrolledWindow', 'scrolledwindow', child('Viewport', 'viewport', child('DrawingArea', 'editview')))
    labels = ''.join(child('Label', name) for name in ['author', 'date', 'resolved'])
    button = child('MenuButton', 'menubutton', '<property name="popup">menu</property>')
    upright = '<property name="orientation">vertical</property>'
    box = widget('Box', 'Annotation', f'{upright}{text}{labels}{button}')
    return f'<?xml version="1.0" encoding="UTF-8"?><interface>{widget("Menu", "menu", items)}{box}</interface>'


def child(kind, name, inner=''):
    return f'<child>{widget(kind, name, inner)}</child>'


def widget(kind, name, inner=''):
    return f'<object class="Gtk{kind}" id="{name}"><property name="visible">True</property>{inner}</object>'
