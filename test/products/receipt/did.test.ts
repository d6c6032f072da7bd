import { verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt'
import { expect, test } from 'vitest'
import { describeDid, findWebDid, nameKey } from '../../../tasks/products/receipt/did.ts'
import { newSigningKey, signJws } from '../../../tasks/products/witness/index.ts'

test.each([
  ['https://api.example', 'did:web:api.example'],
  ['https://api.example:8443', 'did:web:api.example%3A8443'],
  ['http://127.0.0.1:8080', 'did:web:127.0.0.1%3A8080'],
  ['http://localhost:8080', 'did:web:localhost%3A8080'],
  ['http://api.example', undefined],
  ['http://10.0.0.5:8080', undefined],
  ['https://127.0.0.1:8080', undefined],
  ['https://api.example/files', undefined],
  ['https://[2001:db8::1]:8080', undefined],
])('the did:web of %s is %s', (url, did) => {
  expect(findWebDid(url)).toBe(did)
})

test('an address without a did:web signs by a key that names itself, and the unmodified extension verifies it', async () => {
  const key = newSigningKey()
  const kid = nameKey('http://10.0.0.5:8080', key)
  const payload = {
    version: 1,
    network: 'eip155:8453',
    resourceUrl: 'http://10.0.0.5:8080/v1',
    payer: '0x1',
    issuedAt: 1,
  }
  const signature = signJws({ kid }, payload, key.privateKey)
  expect(await verifyReceiptSignatureJWS({ format: 'jws', signature })).toEqual(payload)
  const other = signJws({ kid: nameKey('http://10.0.0.5:8080', newSigningKey()) }, payload, key.privateKey)
  await expect(verifyReceiptSignatureJWS({ format: 'jws', signature: other })).rejects.toThrow('verification failed')
})

test('the document of a did:web has all keys, and says which signs now', () => {
  const [now, before] = [newSigningKey(), newSigningKey()]
  const retired = { ...before, svc_not_after: '2026-01-01T00:00:00.000Z' }
  const { verificationMethod, assertionMethod } = describeDid('did:web:api.example', [now, retired])
  expect(verificationMethod.map(({ id }) => id)).toEqual([now, before].map(key => nameKey('https://api.example', key)))
  expect(assertionMethod).toEqual([nameKey('https://api.example', now)])
})
