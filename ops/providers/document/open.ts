import { openAzureDocuments } from './azure.ts'
import type { DocumentProvider, DocumentProviders } from './contract.ts'
import { openGoogleDocuments } from './google.ts'
import type { DocumentConfig } from './settings.ts'
import { openTextract } from './textract.ts'

/** Opens the providers that are configured. No SDK is loaded before its first call. */
export function openDocumentProviders(
  { order, textract, azure, google }: DocumentConfig,
  { onCall }: Pick<DocumentProviders, 'onCall'> = {},
): DocumentProviders {
  const providers: DocumentProvider[] = [
    ...(textract ? [{ name: 'textract' as const, ...openTextract(textract) }] : []),
    ...(azure ? [{ name: 'azure' as const, ...openAzureDocuments(azure) }] : []),
    ...(google ? [{ name: 'google' as const, ...openGoogleDocuments(google) }] : []),
  ]
  return { order, providers, onCall }
}
