import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createBytes } from '../../support/data/bytes.ts'
import { hasProgram, PYTHON, runProgram } from '../../support/machine/programs.ts'
import { runOperation } from '../../support/operations/run.ts'

const hmac = (body: Record<string, unknown>, now?: Date) => runOperation('utils.hmac', body, now)

/** RFC 4231 and RFC 2202. */
test.each([
  ['sha256', '0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    'sha512',
    '0b'.repeat(20),
    'Hi There',
    '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
  ],
  ['sha1', '0b'.repeat(20), 'Hi There', 'b617318655057264e28bc0b6fb378c8ef146be00'],
  [
    'sha256',
    'aa'.repeat(131),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
])('%s gives the published HMAC', async (algorithm, key, text, expected) => {
  expect(await hmac({ text, key, keyEncoding: 'hex', algorithm })).toEqual({ hmac: expected })
  expect(await hmac({ file: { text }, key, keyEncoding: 'hex', algorithm })).toEqual({ hmac: expected })
})

test.skipIf(!hasProgram(PYTHON))('agrees with Python on 4 MiB', async () => {
  const bytes = createBytes(4 * 2 ** 20, 2)
  const reader = 'import sys,hmac; print(hmac.new(b"k\\xc3\\xa9y", sys.stdin.buffer.read(), "sha512").hexdigest())'
  const answer = await hmac({ file: { inline: bytes.toString('base64') }, key: 'kéy', algorithm: 'sha512' })
  expect(answer.hmac).toBe(runProgram(PYTHON, ['-c', reader], bytes).trim())
})

test.each(['hex', 'base64', 'base64url'] as const)('compares with an HMAC in %s', async encoding => {
  const verify = createHmac('sha256', 'key').update('text').digest(encoding)
  expect(await hmac({ text: 'text', key: 'key', encoding, verify })).toEqual({ valid: true })
  expect(await hmac({ text: 'tExt', key: 'key', encoding, verify })).toEqual({ valid: false })
  expect(await hmac({ text: 'text', key: 'key', encoding, verify: verify.slice(0, -4) })).toEqual({ valid: false })
  expect(await hmac({ text: 'text', key: 'key', encoding, verify: '!' })).toEqual({ valid: false })
})

test('reads the same key in each encoding', async () => {
  const answers = await Promise.all([
    hmac({ text: 'x', key: 'ÿ?', keyEncoding: 'utf8' }),
    hmac({ text: 'x', key: 'C3BF3f', keyEncoding: 'hex' }),
    hmac({ text: 'x', key: 'w78/', keyEncoding: 'base64' }),
    hmac({ text: 'x', key: 'w78_', keyEncoding: 'base64' }),
  ])
  expect(new Set(answers.map(answer => answer.hmac)).size).toBe(1)
})

const slackBody =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
  '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
  '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
  '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'

describe('verifies a delivery', () => {
  const sign = (text: string) => createHmac('sha256', 'whsec_test').update(text).digest('hex')
  const slack = {
    preset: 'slack',
    key: '8f742231b10e8888abcd99yyyzzz85a5',
    body: slackBody,
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  }
  const stripe = (header: string) => ({
    preset: 'stripe',
    key: 'whsec_test',
    body: '{"id":"evt_1"}',
    headers: { 'stripe-signature': header },
  })
  const own = (timestamp: string, body = '{}') => ({
    preset: 'svc-webhook',
    key: 'whsec_test',
    file: { text: body },
    headers: { 'x-service-timestamp': timestamp, 'X-SERVICE-SIGNATURE': `sha256=${sign('1000.{}')}` },
  })
  // The example of its specification.
  const standard = {
    preset: 'standard-webhooks',
    key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'Webhook-Timestamp': '1614265330',
      'webhook-signature': 'v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  }
  const signed = sign('1000.{"id":"evt_1"}')

  test.each([
    ['from the documentation of Slack', slack, 1_531_420_618, { valid: true }],
    ['that is too old', slack, 1_531_420_618 + 301, { valid: false, reason: 'timestamp' }],
    ['from the future', slack, 1_531_420_618 - 301, { valid: false, reason: 'timestamp' }],
    ['with another body', { ...slack, body: 'token=1' }, 1_531_420_618, { valid: false, reason: 'signature' }],
    ['of Stripe', stripe(`t=1000,v1=${signed}`), 1000, { valid: true }],
    ['of Stripe with two secrets', stripe(`t=1000, v1=${'0'.repeat(64)}, v1=${signed}`), 1000, { valid: true }],
    ['of Stripe in its old scheme only', stripe(`t=1000,v0=${signed}`), 1000, { valid: false, reason: 'header' }],
    ['of Stripe without a timestamp', stripe(`v1=${signed}`), 1000, { valid: false, reason: 'header' }],
    ['of our own', own('1000'), 1299, { valid: true }],
    ['of our own with another timestamp', own('1001'), 1001, { valid: false, reason: 'signature' }],
    ['of our own with an invalid timestamp', own('soon'), 1001, { valid: false, reason: 'header' }],
    ['of Standard Webhooks', standard, 1_614_265_330, { valid: true }],
    [
      'of Standard Webhooks with another id',
      { ...standard, headers: { ...standard.headers, 'webhook-id': 'msg_2' } },
      1_614_265_330,
      { valid: false, reason: 'signature' },
    ],
    [
      'without the headers of its sender',
      { ...own('1000'), preset: 'github' },
      1000,
      { valid: false, reason: 'header' },
    ],
  ])('%s', async (_, body, nowSec, expected) => {
    expect(await hmac(body, new Date(nowSec * 1000))).toEqual(expected)
  })
})

test.each([
  [{ text: 'x', key: 'xyz', keyEncoding: 'hex' }, 'KEY_INVALID', { field: 'key', encoding: 'hex' }],
  [{ key: 'k' }, 'MISSING_FIELD', { field: 'text' }],
  [{ key: 'k', text: 'x', body: 'x' }, 'CONFLICTING_OPTIONS', { fields: ['body'] }],
  [{ key: 'k', text: 'x', headers: {} }, 'CONFLICTING_OPTIONS', { fields: ['headers'] }],
  [{ key: 'k', preset: 'github', body: 'x' }, 'MISSING_FIELD', { field: 'headers' }],
  [{ key: 'k', preset: 'github', headers: {} }, 'MISSING_FIELD', { field: 'body' }],
  [
    { key: 'k', preset: 'github', headers: {}, body: 'x', text: 'x' },
    'CONFLICTING_OPTIONS',
    { fields: ['body', 'text'] },
  ],
  [{ key: 'k', preset: 'github', headers: {}, body: 'x', algorithm: 'sha1' }, 'CONFLICTING_OPTIONS', {}],
])('rejects body %#', async (body, code, hints) => {
  await expect(hmac(body)).rejects.toMatchObject({ code, hints })
})
