import { OptionalText, OptionalUrl, Text, Url } from './kinds.ts'

export const DOCUMENTS = {
  DOCUMENT_PROVIDERS: Text({
    default: 'textract,azure,google,local',
    expects: 'some of textract, azure, google, local, separated by commas',
    pattern: '^\\s*(textract|azure|google|local)(\\s*,\\s*(textract|azure|google|local))*\\s*$',
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
  GOOGLE_DOCUMENT_PROCESSORS: OptionalText({
    displayDefault: 'no Document AI',
    description:
      'Processors of Google Document AI, separated by commas, such as `form=projects/p/locations/eu/processors/1`; `ocr`, `form`, `invoice`, `licence` and `passport` can be given.',
  }),
  GOOGLE_DOCUMENT_URL: Url({
    default: 'https://us-documentai.googleapis.com',
    description: 'Address of Document AI in the location of the processors.',
  }),
  GOOGLE_DOCUMENT_EMAIL: OptionalText({
    displayDefault: 'none',
    description: 'Service account that may use the processors.',
  }),
  GOOGLE_DOCUMENT_PRIVATE_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Its private key as PEM, with line breaks or `\\n`; only workers get it.',
  }),
  GOOGLE_DOCUMENT_TOKEN_URL: Url({
    default: 'https://oauth2.googleapis.com/token',
    description: 'Where its tokens are issued.',
  }),
}

/** Secrets that only the process that calls the providers gets. */
export const DOCUMENT_SECRETS = [
  'TEXTRACT_ACCESS_KEY_ID',
  'TEXTRACT_SECRET_ACCESS_KEY',
  'AZURE_DOCUMENT_KEY',
  'GOOGLE_DOCUMENT_PRIVATE_KEY',
] as const
