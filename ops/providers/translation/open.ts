import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import { askByCharacters, type CountedCall } from '../counted-call.ts'
import { cutText } from '../cut-text.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { Translation, TranslationRequest, TranslationService, Translator } from './contract.ts'
import { protectMarks, restoreMarks } from './marks.ts'
import { AZURE } from './services/azure.ts'
import { DEEPL } from './services/deepl.ts'
import { GOOGLE } from './services/google.ts'
import { LIBRETRANSLATE } from './services/libretranslate.ts'
import type { TranslationConfig } from './settings.ts'

const SERVICES = { deepl: DEEPL, google: GOOGLE, azure: AZURE, libretranslate: LIBRETRANSLATE }
const ATTEMPT_MS = 30_000
const MAX_BYTES = 8 * 2 ** 20
/** DeepL says so when the characters of a month are used up. */
const QUOTA_STATUS = 456

interface Options {
  /** Counts what was asked of the service, answered or not. */
  onCall?(call: CountedCall): void
}

/** Gives undefined without a service. */
export function openTranslator(
  config: TranslationConfig | undefined,
  { onCall }: Options = {},
): Translator | undefined {
  if (!config) return undefined
  const { provider, url: baseUrl, apiKey, region, usdPerMillion, markupPct } = config
  const service: TranslationService = SERVICES[provider]
  const client = openProviderClient({ provider, baseUrl, maxBytes: MAX_BYTES })
  const patience = { capability: 'translation', attemptMs: ATTEMPT_MS }

  async function ask(texts: readonly string[], request: TranslationRequest, limits: CallLimits) {
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    const counted = { provider, model: 'translate', characters, usdPerMillion, signal: limits.signal, onCall }
    const call = service.describe({ ...request, texts }, { apiKey, region })
    return askByCharacters(counted, async () =>
      readAnswer(service, await callUntilDeadline(client, call, limits, patience), texts.length),
    ).catch((error: unknown) => {
      throw error instanceof ProviderRefusal ? toProblem(error, request) : error
    })
  }

  /** One call after the other, because services limit how much they take at once. */
  async function translate(request: TranslationRequest, limits: CallLimits): Promise<Translation> {
    const { markup, maxChars, maxTexts } = service
    const pieces = cutIntoPieces(request.text, maxChars / 2)
    const cores = pieces.flatMap(({ core }) => (core === '' ? [] : [protectMarks(core, markup)]))
    const translated: string[] = []
    let detectedSource: string | null = null
    for (const batch of gather(cores, { maxChars, maxTexts })) {
      const answer = await ask(batch, request, limits)
      translated.push(...answer.texts.map(text => restoreMarks(text, markup)))
      detectedSource ??= answer.detectedSource
    }
    let next = 0
    const text = pieces.map(({ before, core, after }) => before + (core === '' ? '' : translated[next++]!) + after)
    return { text: text.join(''), detectedSource }
  }
  return { provider, usdPerMillion, markupPct, hasFormality: service.hasFormality, translate }
}

interface Piece {
  /** The spaces and line ends around the text, which services drop. */
  before: string
  core: string
  after: string
}

/** Paragraphs, and parts of those that are too long. */
function cutIntoPieces(text: string, maxChars: number): Piece[] {
  return text
    .split(/(?<=\n[^\S\n]*\n)/)
    .flatMap(paragraph => cutText(paragraph, maxChars).map(({ start, end }) => paragraph.slice(start, end)))
    .map(part => {
      const [, before = '', core = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(part)!
      return { before, core, after }
    })
}

/** As many texts together as one call takes. */
function gather(texts: readonly string[], { maxChars, maxTexts }: { maxChars: number; maxTexts: number }): string[][] {
  const batches: string[][] = []
  let size = 0
  for (const text of texts) {
    const last = batches.at(-1)
    if (last && last.length < maxTexts && size + text.length <= maxChars) {
      last.push(text)
      size += text.length
    } else {
      batches.push([text])
      size = text.length
    }
  }
  return batches
}

function readAnswer(service: TranslationService, answer: unknown, count: number) {
  const read = tryRead(service, answer)
  if (!read || read.texts.length !== count || read.texts.some(text => typeof text !== 'string'))
    throw new Problem('PROVIDER_UNAVAILABLE', {
      capability: 'translation',
      detail: 'the answer has not the form that was expected',
    })
  return read
}

function tryRead(service: TranslationService, answer: unknown) {
  try {
    return service.read(answer)
  } catch {
    return undefined
  }
}

/** What is refused of a text that is well formed can only be its languages. */
function toProblem({ status, body }: ProviderRefusal, { to, from }: TranslationRequest): Problem {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if ([400, 404].includes(status) && /lang|target|source|from|to\b/i.test(text))
    return new Problem('LANGUAGE_UNSUPPORTED', { to, ...(from !== undefined && { from }) })
  const detail = status === QUOTA_STATUS ? 'the quota of the service is used up' : 'the service refuses the request'
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'translation', detail, providerStatus: status })
}
