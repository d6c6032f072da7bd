import { openAzureDocuments } from './azure.ts'
import type { DocumentConfig, DocumentProvider, DocumentProviders } from './contract.ts'
import { openTextract } from './textract.ts'

/** Opens the providers that are configured. No SDK is loaded before its first call. */
export function openDocumentProviders(
  { order, textract, azure }: DocumentConfig,
  { onCall }: Pick<DocumentProviders, 'onCall'> = {},
): DocumentProviders {
  const providers: DocumentProvider[] = [
    ...(textract ? [{ name: 'textract' as const, ...openTextract(textract) }] : []),
    ...(azure ? [{ name: 'azure' as const, ...openAzureDocuments(azure) }] : []),
  ]
  return { order, providers, onCall }
}
