/** Apart from the contract, because the configuration knows no tools. */
type DocumentProviderName = 'textract' | 'azure' | 'google'

export interface DocumentConfig {
  /** The first that is configured and offers an operation serves it; `local` is our own engines. */
  order: readonly (DocumentProviderName | 'local')[]
  textract?: TextractConfig
  azure?: { url: string; key: string }
  google?: GoogleConfig
}

export interface TextractConfig {
  region: string
  endpoint?: string
  /** Without them, those that the AWS SDK finds. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** What processors of Google read; an operator makes those that are needed. */
type GoogleProcessor = 'ocr' | 'form' | 'invoice' | 'licence' | 'passport'

export interface GoogleConfig {
  url: string
  account: { email: string; privateKey: string; tokenUrl: string }
  /** By their names: `projects/<project>/locations/<location>/processors/<id>`. */
  processors: Partial<Record<GoogleProcessor, string>>
}
