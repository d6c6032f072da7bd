import { PdfArray, PdfDict, type PdfObject, PdfString } from '@libpdf/core'
import type { Kind, Removal } from './removal.ts'

/** These stay within the document and run nothing. All others go, those that no standard knows too. */
const HARMLESS = new Set(['GoTo', 'GoToDp', 'SetOCGState', 'Hide', 'ResetForm', 'Trans'])
const HARMLESS_NAMES = new Set(['NextPage', 'PrevPage', 'FirstPage', 'LastPage'])
const WEB_SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'ftp'])
/** Where dictionaries hold an action, or what comes after one. */
const ACTION_KEYS = ['A', 'OpenAction', 'PA', 'NA', 'Next']

/** Removes the actions of a dictionary that the plan forbids. What is harmless and comes after them stays. */
export function cleanActions(dict: PdfDict, removal: Removal): void {
  for (const key of ACTION_KEYS) cleanEntry(dict, key, removal)
  const events = dict.getDict('AA', removal.resolve)
  if (!events) return
  for (const [name] of [...events]) cleanEntry(events, name.value, removal)
  if ([...events].length === 0) dict.delete('AA')
}

function cleanEntry(dict: PdfDict, key: string, removal: Removal): void {
  const value = dict.get(key, removal.resolve)
  if (value instanceof PdfArray && key === 'Next') {
    const kept = value.toArray().flatMap(item => replaceAction(item, removal) ?? [])
    dict.set(key, PdfArray.of(...kept))
    return
  }
  if (!(value instanceof PdfDict)) return
  const kept = replaceAction(value, removal)
  if (!kept) dict.delete(key)
  else if (kept !== value) dict.set(key, kept)
}

/** Returns the action itself if it may stay, else the first one after it that may. */
function replaceAction(item: PdfObject, removal: Removal): PdfObject | undefined {
  let current: PdfObject | undefined = item
  for (;;) {
    const action = removal.follow(current)
    if (!(action instanceof PdfDict) || removal.isEmptied(action)) return undefined
    const kind = classifyAction(action, removal)
    if (!kind || !removal.plan[kind]) return current
    const next = action.get('Next')
    const list = removal.follow(next)
    removal.empty(action, kind)
    current = list instanceof PdfArray ? list.toArray()[0] : next
  }
}

export function classifyAction(action: PdfDict, { resolve }: Removal): Kind | undefined {
  const type = action.getName('S', resolve)?.value
  if (type === undefined || HARMLESS.has(type)) return undefined
  if (type === 'JavaScript') return 'javascript'
  if (type === 'URI') return classifyAddress(action.get('URI', resolve))
  if (type === 'Named' && HARMLESS_NAMES.has(action.getName('N', resolve)?.value ?? '')) return undefined
  return type === 'Thread' && !action.has('F') ? undefined : 'actions'
}

/** An address that does not lead to the web opens files or programs. */
function classifyAddress(address: PdfObject | undefined): Kind {
  const text = address instanceof PdfString ? address.asString() : ''
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'javascript') return 'javascript'
  const leavesWeb = scheme === undefined ? /^\s*[\\/]{2}/.test(text) : !WEB_SCHEMES.has(scheme)
  return leavesWeb ? 'actions' : 'links'
}
