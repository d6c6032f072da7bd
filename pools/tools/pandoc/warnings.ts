import type { Warning } from '#kit'
import type { PandocOutput } from './instance.ts'

export const HIDDEN_LEFT_OUT: Warning = {
  code: 'CONTENT_SKIPPED',
  message: 'Hidden text is left out, as it is when the document is shown or printed.',
}

const CODES: Record<string, string> = {
  CouldNotFetchResource: 'RESOURCE_MISSING',
  CouldNotLoadIncludeFile: 'RESOURCE_MISSING',
  CouldNotDetermineMimeType: 'RESOURCE_MISSING',
  SkippedContent: 'CONTENT_SKIPPED',
  IgnoredElement: 'CONTENT_SKIPPED',
  BlockNotRendered: 'NOT_RENDERED',
  InlineNotRendered: 'NOT_RENDERED',
  CouldNotConvertTeXMath: 'NOT_RENDERED',
  CouldNotParseIncludeFile: 'RESOURCE_MISSING',
  CiteprocWarning: 'CITATION',
  ReferenceNotFound: 'REFERENCE_MISSING',
  NoteDefinedButNotUsed: 'NOTE_UNUSED',
  DuplicateNoteReference: 'DUPLICATE_NAME',
  DuplicateLinkReference: 'DUPLICATE_NAME',
  UnusualConversion: 'UNUSUAL_CONVERSION',
}
/** Said of every document that lacks what only some readers need. */
const NOT_WORTH_SAYING = new Set(['NoLangSpecified', 'NoTitleElement', 'LoadedResource', 'Extracting', 'Fetching'])
const MAX_WARNINGS = 50
const MAX_LENGTH = 300

/** What pandoc left out or could not do, each once. */
export function collectWarnings(reports: PandocOutput['warnings']): Warning[] {
  const relevant = reports.filter(
    ({ type, verbosity }) => !NOT_WORTH_SAYING.has(type) && (verbosity === 'WARNING' || CODES[type] !== undefined),
  )
  const warnings = relevant.map(({ type, pretty, path }) => ({
    code: CODES[type] ?? 'CONVERTER_WARNING',
    message: shorten(pretty ?? path ?? type),
  }))
  const unique = new Map(warnings.map(warning => [`${warning.code} ${warning.message}`, warning]))
  return [...unique.values()].slice(0, MAX_WARNINGS)
}

/** What is not rendered is reported as the syntax tree of it, of which the first words tell enough. */
function shorten(text: string): string {
  const [first = text] = text.startsWith('Not rendering') ? text.split(/[("[]/, 1) : [text]
  return first.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LENGTH)
}
