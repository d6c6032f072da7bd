import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import { askByCharacters, type CountedCall } from '../counted-call.ts'
import { cutText } from '../cut-text.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { FoundFault, Proofreader, ProofreadingRequest } from './contract.ts'
import { nameLanguage, PREFERRED_VARIANTS } from './languages.ts'
import type { ProofreadingConfig } from './settings.ts'

const PROVIDER = 'languagetool'
const ATTEMPT_MS = 30_000
const MAX_BYTES = 16 * 2 ** 20
/** What the public service takes at once. */
const MAX_CHARS = 20_000
/** Stands for what is no prose, so that the sentence around it stays whole. */
const PLACEHOLDER = 'X1'
/** What LanguageTool calls faults of style. */
const STYLE_TYPES = ['style', 'locale-violation', 'register']

const LEVELS = {
  spelling: { enabledOnly: 'true', enabledCategories: 'TYPOS' },
  grammar: { level: 'default' },
  style: { level: 'picky' },
}

const Answer = Type.Object({
  matches: Type.Array(
    Type.Object({
      offset: Type.Integer({ minimum: 0 }),
      length: Type.Integer({ minimum: 0 }),
      message: Type.String(),
      replacements: Type.Array(Type.Object({ value: Type.Optional(Type.String()) })),
      rule: Type.Object({ id: Type.String(), issueType: Type.Optional(Type.String()) }),
    }),
  ),
})

type Match = Static<typeof Answer>['matches'][number]

interface Options {
  /** Counts what was asked of the service, answered or not. */
  onCall?(call: CountedCall): void
}

/** Gives undefined without a service. */
export function openProofreader(
  config: ProofreadingConfig | undefined,
  { onCall }: Options = {},
): Proofreader | undefined {
  if (!config) return undefined
  const { url, account, usdPerMillion, markupPct } = config
  const client = openProviderClient({ provider: PROVIDER, baseUrl: url, maxBytes: MAX_BYTES })
  const patience = { capability: 'proofreading', attemptMs: ATTEMPT_MS }

  async function ask(request: ProofreadingRequest, { signal, deadlineMs }: CallLimits): Promise<Match[]> {
    const counted = {
      provider: PROVIDER,
      model: 'check',
      characters: request.text.length,
      usdPerMillion,
      signal,
      onCall,
    }
    const call = { path: '/v2/check', body: new URLSearchParams({ ...describe(request), ...account }) }
    return askByCharacters(counted, async () =>
      readMatches(await callUntilDeadline(client, call, { signal, deadlineMs }, patience), request.text),
    ).catch((error: unknown) => {
      throw error instanceof ProviderRefusal ? toProblem(error, request) : error
    })
  }

  /** One call after the other, because services limit how much they take at once. */
  async function check(request: ProofreadingRequest, limits: CallLimits): Promise<FoundFault[]> {
    const found: FoundFault[] = []
    for (const { start, end } of cutText(request.text, MAX_CHARS)) {
      const masked = shiftRanges(request.masked, start, end)
      const matches = await ask({ ...request, text: request.text.slice(start, end), masked }, limits)
      found.push(...matches.filter(match => isWanted(match, masked, request.level)).map(match => toFault(match, start)))
    }
    return found
  }
  return { provider: PROVIDER, usdPerMillion, markupPct, check }
}

function describe({ text, masked, language, level }: ProofreadingRequest): Record<string, string> {
  const code = nameLanguage(language)
  return {
    data: JSON.stringify({ annotation: annotate(text, masked) }),
    language: code,
    ...(code === 'auto' && { preferredVariants: PREFERRED_VARIANTS }),
    ...LEVELS[level],
  }
}

type Ranges = ProofreadingRequest['masked']

/** The text in the parts that LanguageTool reads and those that it skips; places count in both. */
function annotate(text: string, masked: Ranges): object[] {
  const parts: object[] = []
  let at = 0
  for (const [start, end] of masked) {
    if (start > at) parts.push({ text: text.slice(at, start) })
    parts.push({ markup: text.slice(start, end), interpretAs: PLACEHOLDER })
    at = end
  }
  if (at < text.length) parts.push({ text: text.slice(at) })
  return parts
}

/** What of the ranges lies in a part of the text, counted from its start. */
function shiftRanges(ranges: Ranges, from: number, to: number): Ranges {
  return ranges
    .map(([start, end]) => [Math.max(start, from) - from, Math.min(end, to) - from] as const)
    .filter(([start, end]) => start < end)
}

function readMatches(answer: unknown, text: string): Match[] {
  if (!Check(Answer, answer) || answer.matches.some(({ offset, length }) => offset + length > text.length))
    throw new Problem('PROVIDER_UNAVAILABLE', {
      capability: 'proofreading',
      detail: 'the answer has not the form that was expected',
    })
  return answer.matches
}

function isWanted(
  { offset, length, rule: { issueType = '' } }: Match,
  masked: Ranges,
  level: ProofreadingRequest['level'],
): boolean {
  if (level === 'spelling' && issueType !== 'misspelling') return false
  if (level === 'grammar' && STYLE_TYPES.includes(issueType)) return false
  return masked.every(([start, end]) => offset + length <= start || offset >= end)
}

function toFault({ offset, length, message, replacements, rule }: Match, from: number): FoundFault {
  const start = from + offset
  return { start, end: start + length, replacement: replacements[0]?.value ?? null, rule: rule.id, message }
}

/** What is refused of a text that is well formed can only be its language. */
function toProblem({ status, body }: ProviderRefusal, { language }: ProofreadingRequest): Problem {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (status === 400 && language !== undefined && /language/i.test(text))
    return new Problem('LANGUAGE_UNSUPPORTED', { language })
  const detail = 'the service refuses the request'
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'proofreading', detail, providerStatus: status })
}
