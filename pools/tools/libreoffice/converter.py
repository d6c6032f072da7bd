"""Converts documents inside of LibreOffice, so that what is read of a document does not cross a pipe value by value.

LibreOffice loads this file with its loader of Python components. A request and its answer are JSON.
"""
import json
import os
import sys

import unohelper
from com.sun.star.task import XJob

sys.path.insert(0, os.path.dirname(__file__))
import documents


class Converter(unohelper.Base, XJob):
    def __init__(self, context):
        self.desktop = context.ServiceManager.createInstanceWithContext('com.sun.star.frame.Desktop', context)

    def execute(self, arguments):
        return json.dumps(answer(self.desktop, json.loads(arguments[0].Value)))


def answer(desktop, request):
    try:
        return documents.convert(desktop, request)
    except documents.Failure as failure:
        return {'failure': failure.kind, **failure.facts}
    except Exception as error:
        return {'failure': 'unreadable', 'detail': str(error).split('\n')[0][:200] or type(error).__name__}


g_ImplementationHelper = unohelper.ImplementationHelper()
g_ImplementationHelper.addImplementation(Converter, 'coinop.Converter', ())
