import { Problem } from '#kit'
import type { OfficeFormat } from '../../formats/office/classify.ts'

export const RESCUE_ENCODINGS = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'cp437', 'cp850', 'windows-1250', 'windows-1251', 'windows-1252', 'koi8-r'],
  ...['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'iso-8859-2', 'iso-8859-5', 'iso-8859-7', 'iso-8859-15'],
  'macintosh',
] as const

/** Formats that LibreOffice recognises by itself, although no signature of ours does. */
const HINTED: Record<string, OfficeFormat['family']> = {
  ...{
    wps: 'text',
    wri: 'text',
    lwp: 'text',
    sdw: 'text',
    cwk: 'text',
    mw: 'text',
    mcw: 'text',
    abw: 'text',
    zabw: 'text',
  },
  ...{ hwp: 'text', pages: 'text', wk3: 'spreadsheet', wk4: 'spreadsheet', '123': 'spreadsheet', wb2: 'spreadsheet' },
  ...{ qpw: 'spreadsheet', sdc: 'spreadsheet', numbers: 'spreadsheet', key: 'presentation', sdd: 'presentation' },
  ...{ cdr: 'drawing', p65: 'drawing', pmd: 'drawing', qxp: 'drawing', fh: 'drawing', cgm: 'drawing', pict: 'drawing' },
  ...{ wpg: 'drawing', met: 'drawing', svm: 'drawing', dxf: 'drawing', dbf: 'database' },
}

export function findFormat(hint: string | undefined, type: string): OfficeFormat {
  const extension = hint?.toLowerCase()
  const family = extension === undefined ? undefined : HINTED[extension]
  if (family) return { extension: extension!, family }
  const supported = Object.keys(HINTED)
  const hints = { detected: type, field: 'formatHint', supported }
  throw new Problem('UNSUPPORTED_FORMAT', type === 'application/pdf' ? { ...hints, try: '/v1/pdf/repair' } : hints)
}

const FAITHFUL = ['docx', 'xlsx', 'pptx', 'doc', 'xls', 'ppt', 'odt', 'ods', 'odp', 'odg', 'rtf', 'txt', 'csv']

export function rateFidelity({ extension }: OfficeFormat): 'high' | 'medium' {
  return FAITHFUL.includes(extension) ? 'high' : 'medium'
}

export const OFFICE_ERRORS = [
  ...(['OFFICE_PARSE_FAILED', 'OFFICE_PASSWORD_REQUIRED', 'OFFICE_PASSWORD_INCORRECT', 'UNSUPPORTED_FORMAT'] as const),
  ...(['TOO_MANY_PAGES', 'BAD_RANGE', 'OUTPUT_TOO_LARGE', 'PDF_PARSE_FAILED', 'TIME_LIMIT_EXCEEDED'] as const),
  ...(['MEMORY_LIMIT_EXCEEDED', 'SANDBOX_UNAVAILABLE'] as const),
]
