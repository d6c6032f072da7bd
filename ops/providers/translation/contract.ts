import type { CallLimits } from '../call-limits.ts'
import type { TranslationProvider } from './settings.ts'

export interface TranslationRequest {
  /** What stands in it as `⟦0⟧` comes back as it is. */
  text: string
  /** BCP 47. */
  to: string
  /** BCP 47; undefined if the service is to find it. */
  from?: string | undefined
  formality: 'default' | 'formal' | 'informal'
}

export interface Translation {
  text: string
  /** As the service names it, in small letters; null if it does not tell. */
  detectedSource: string | null
}

export interface Translator {
  readonly provider: TranslationProvider
  /** What it takes for a million characters, in USD. */
  readonly usdPerMillion: number
  readonly markupPct: number
  readonly hasFormality: boolean
  /** Throws PROVIDER_UNAVAILABLE or LANGUAGE_UNSUPPORTED. */
  translate(request: TranslationRequest, limits: CallLimits): Promise<Translation>
}

/** How one service is asked for some texts in one call. */
export interface TranslationService {
  /** How marks that must not change are written for it. */
  markup: 'xml' | 'html' | 'plain'
  hasFormality: boolean
  /** The most of one call, in UTF-16 code units of all texts. */
  maxChars: number
  maxTexts: number
  describe(request: Omit<TranslationRequest, 'text'> & { texts: readonly string[] }, key: ServiceKey): ServiceCall
  /** The translations in the order of the texts. Throws if the answer has not that form. */
  read(answer: unknown): { texts: string[]; detectedSource: string | null }
}

interface ServiceKey {
  apiKey: string | undefined
  region: string | undefined
}

export interface ServiceCall {
  path: string
  query?: Readonly<Record<string, string | undefined>>
  json: unknown
  headers?: Readonly<Record<string, string>>
}
