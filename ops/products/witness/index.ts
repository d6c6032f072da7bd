export { buildKeySet, openSigningKey } from './keys.ts'
export { keySetUrl } from './signing.ts'
