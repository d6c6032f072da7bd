import { OptionalText, OptionalUrl, Text } from './kinds.ts'

export const DOCUMENTS = {
  DOCUMENT_PROVIDERS: Text({
    default: 'textract,azure,local',
    expects: 'some of textract, azure, local, separated by commas',
    pattern: '^\\s*(textract|azure|local)(\\s*,\\s*(textract|azure|local))*\\s*$',
    description:
      'Who reads tables, forms, layouts, invoices and identity documents: the first of these that is configured and offers it. `local` is our own engines, which also serve what none of them does.',
  }),
  TEXTRACT_REGION: OptionalText({
    displayDefault: 'no Textract',
    description: 'Region in which Amazon Textract is called.',
  }),
  TEXTRACT_ACCESS_KEY_ID: OptionalText({
    displayDefault: 'the AWS chain',
    description: 'Access key for Textract; only workers get it.',
  }),
  TEXTRACT_SECRET_ACCESS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'the AWS chain',
    description: 'Secret of that access key; only workers get it.',
  }),
  TEXTRACT_URL: OptionalUrl({
    displayDefault: "Amazon's own",
    description: 'Another server with the same API as Textract.',
  }),
  AZURE_DOCUMENT_URL: OptionalUrl({
    displayDefault: 'no Azure',
    description: 'Endpoint of a resource of Azure Document Intelligence.',
  }),
  AZURE_DOCUMENT_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that resource; only workers get it.',
  }),
}

/** Secrets that only the process that calls the providers gets. */
export const DOCUMENT_SECRETS = ['TEXTRACT_ACCESS_KEY_ID', 'TEXTRACT_SECRET_ACCESS_KEY', 'AZURE_DOCUMENT_KEY'] as const
