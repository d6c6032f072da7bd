import type {
  DocumentProviderName,
  HostedFields,
  HostedIdentity,
  HostedInvoice,
  HostedTables,
  HostedTask,
  HostedText,
} from '../../../tasks/formats/document/hosted.ts'
import type { Size } from '../../../tasks/formats/geometry/region.ts'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import type { DocumentConfig } from './settings.ts'

/** What is sent to a provider: one page as an upright JPEG without metadata. */
export interface SentPage extends Size {
  bytes: Uint8Array
  /** What its text is written in, as far as the caller says (BCP 47). */
  languages?: readonly string[]
}

/** How a caller reads what a provider may find in two ways. */
export interface InvoiceHints {
  locale?: string
  currency?: string
}

/**
 * What a provider offers; it serves the operations whose methods it has. The methods throw PROVIDER_UNAVAILABLE, or a
 * problem of the page.
 */
export interface DocumentAdapter {
  /** The operations that make use of the languages of a page; the others find them by themselves. */
  takesLanguages: readonly HostedTask[]
  readText?(page: SentPage, limits: CallLimits): Promise<HostedText>
  readTables?(page: SentPage, limits: CallLimits): Promise<HostedTables>
  readFields?(page: SentPage, limits: CallLimits): Promise<HostedFields>
  readInvoice?(page: SentPage, hints: InvoiceHints, limits: CallLimits): Promise<HostedInvoice>
  readIdentity?(pages: readonly SentPage[], limits: CallLimits): Promise<HostedIdentity>
}

/** The method of each operation. */
export const METHODS = {
  'extract-tables': 'readTables',
  'extract-form': 'readFields',
  'ocr-layout': 'readText',
  'parse-invoice': 'readInvoice',
  'parse-id': 'readIdentity',
} as const satisfies Record<HostedTask, Exclude<keyof DocumentAdapter, 'takesLanguages'>>

export interface DocumentProvider extends DocumentAdapter {
  name: DocumentProviderName
}

export interface DocumentProviders extends Pick<DocumentConfig, 'order'> {
  providers: readonly DocumentProvider[]
  onCall?(call: CountedCall): void
}
