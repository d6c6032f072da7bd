import { expect, test } from 'vitest'
import { RateLimits, requireTokenRate } from '../../api/intake/identity/rate-limit.ts'
import { hashBatonToken, showToken } from '../../api/products/baton/tokens.ts'
import { hashHandoffToken } from '../../api/products/handoff/tokens.ts'
import { DROP, deriveMailboxSecrets } from '../../api/products/mailbox/secrets.ts'
import { hashSignInToken } from '../../ops/providers/sign-in/link.ts'
import { defineTokens } from '../../ops/tokens.ts'

const SECRET = 'a secret of the test, long enough'
const ID = '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
const RANDOM = 'A'.repeat(43)

test('a token has 256 random bits, and its hash depends on its kind and on the secret of the service', () => {
  const [tickets, passes] = [defineTokens('tkt_', 'ticket'), defineTokens('tkt_', 'pass')]
  const token = tickets.mint()
  expect(token).toMatch(/^tkt_[\w-]{43}$/)
  expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32)
  expect(tickets.mint()).not.toBe(token)
  for (const text of [token.slice(1), `${token}A`, token.slice(0, -1), `${token.slice(0, -1)}.`, `${token}\n`])
    expect([text, tickets.hasForm(text)]).toEqual([text, false])
  expect(tickets.hash(SECRET, token)).toHaveLength(32)
  expect(tickets.hash(SECRET, token)).not.toEqual(passes.hash(SECRET, token))
  expect(tickets.hash(SECRET, token)).not.toEqual(tickets.hash(`${SECRET}!`, token))
  expect(tickets.derive(SECRET, ID)).toBe(tickets.derive(SECRET, ID))
  expect(tickets.derive(SECRET, ID)).not.toContain(tickets.hash(SECRET, ID).toString('base64url'))
})

test('tokens that are in use keep their form, and their stored hashes stay valid', () => {
  const context = { config: { secret: SECRET } } as never
  expect(deriveMailboxSecrets(SECRET, ID)).toEqual({
    dropToken: 'drp_8HYNemJiJ3q6x31JSVKMUt79mx3jqr27w6dkfyINf5c',
    webhookSecret: 'whsec_XmgnkJtaqaGsRjvScQ5GKH4bdR3HUVN/YAUVm0+Nbtc=',
  })
  expect(showToken(context, { tokenId: ID } as never)).toEqual({
    id: 'tok_GJNd9Ial_rnA6-l_McAmfZZtk5oCR-2vxwaHc40ZBQA',
  })
  const hashes = [
    DROP.hash(SECRET, `drp_${RANDOM}`),
    hashBatonToken(context, `tok_${RANDOM}`),
    hashHandoffToken(context, `hnd_${RANDOM}`),
    hashSignInToken({ secret: SECRET }, RANDOM),
  ]
  expect(hashes.map(hash => hash.toString('base64url'))).toEqual([
    'EKaR1ukGPsk4yzWGV4vriBRyvGRQ-FwQnOP0-1W4fOE',
    'ZpEblS3T6uyYVzej49mZJeHEtFab7QTqKNdOST03s_U',
    'gu_VG5GPErPKgjW_5OAr4SfVApnVeEclAd4G9FL9TdA',
    'iw2GlH31U0q2TwaoEkc7cXPn4D71lSzvQR2QNBvLjf4',
  ])
})

test('one address can try few tokens, and many addresses together use one token so often', () => {
  const limits = new RateLimits(undefined as never, { aheadMs: 0 }, () => 10)
  const [one, other] = [Buffer.from('one'), Buffer.from('other')]
  const use = (ip: string, token: Buffer) =>
    requireTokenRate({ limits }, { kind: 'ticket', ip, token, perAddress: 2, perToken: 3 })
  use('192.0.2.1', one)
  use('192.0.2.1', other)
  expect(() => use('192.0.2.1', one)).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      hints: { limit: 2, windowSeconds: 60, retryAfterSeconds: expect.any(Number) },
    }),
  )
  use('192.0.2.2', one)
  use('192.0.2.3', one)
  expect(() => use('192.0.2.4', one)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
  use('192.0.2.4', other)
  limits.close()
})
