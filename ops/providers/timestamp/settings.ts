import { declareSettings } from '../../variables/declaration.ts'
import { OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Of the timestamp authority. */
    timestampUrl?: string
  }
}

const variables = {
  TIMESTAMP_URL: OptionalUrl({
    displayDefault: 'no timestamps',
    description: 'Timestamp authority (RFC 3161) for signatures of level B-T; the worker posts to it.',
  }),
}

export default declareSettings({
  title: 'Timestamps',
  variables,
  read: values => ({ timestampUrl: values.TIMESTAMP_URL }),
})
