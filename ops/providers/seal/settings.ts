import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OptionalText } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** The operator's own key for sealing documents. Without it the service makes one with a root of its own. */
    sealKey?: { path: string; password: string }
  }
}

const variables = {
  SEAL_PKCS12: OptionalText({
    displayDefault: 'a key of its own',
    description: 'File (.p12) with the key and the certificates that seal signed documents: RSA, or a curve of NIST.',
  }),
  SEAL_PKCS12_PASSWORD: OptionalText({
    isSecret: true,
    displayDefault: 'no password',
    description: 'Password of that file.',
  }),
}

export default declareSettings({
  title: 'Seal of signed documents',
  isLocal: true,
  variables,
  secretsOf: { worker: ['SEAL_PKCS12_PASSWORD'] },
  read({ SEAL_PKCS12: path, SEAL_PKCS12_PASSWORD: password = '' }) {
    if (path === undefined && password !== '') throw new ConfigError('SEAL_PKCS12_PASSWORD needs SEAL_PKCS12.')
    return { sealKey: path === undefined ? undefined : { path, password } }
  },
})
