import { expect, test } from 'vitest'
import { openPaidApi } from '../../support/chain/in-process-paid-api.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openAccountKey } from '../../support/mcp/key.ts'

test('arguments are read as what they can only mean, and the same body is refused over REST', async () => {
  await using api = await openPaidApi()
  const { key } = await openAccountKey(api.context, 5_000n)
  const headers = { authorization: `Bearer ${key}` }
  const payload = { text: 123, algorithms: 'SHA-256' }
  const { result } = (await callTool(api.app, 'utils_hash', payload, { headers })).body
  expect(result.structuredContent).toMatchObject({
    hashes: { sha256: 'a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3' },
  })
  const rest = await api.app.inject({ method: 'POST', url: '/v1/utils/hash', headers, payload })
  expect([rest.statusCode, rest.json()]).toMatchObject([400, { code: 'INVALID_PARAM', field: 'text' }])
})
