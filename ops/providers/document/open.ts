import type { DocumentConfig, DocumentProvider, DocumentProviders } from './contract.ts'
import { openTextract } from './textract.ts'

/** Opens the providers that are configured. No SDK is loaded before its first call. */
export function openDocumentProviders(
  { order, textract }: DocumentConfig,
  { onCall }: Pick<DocumentProviders, 'onCall'> = {},
): DocumentProviders {
  const providers: DocumentProvider[] = [
    ...(textract ? [{ name: 'textract' as const, ...openTextract(textract) }] : []),
  ]
  return { order, providers, onCall }
}
