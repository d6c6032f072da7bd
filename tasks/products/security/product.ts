import { Type } from 'typebox'
import { event, notification, numberSetting, product } from '#kit'

const FoundAt = Type.Union([Type.String(), Type.Null()])
const EXAMPLE = { prefix: 'svc_live_0a1b2c3d', foundAt: 'https://example.com/notes.txt' }

const KIND_TITLES: Record<string, string> = { email: 'email', github: 'GitHub', google: 'Google', wallet: 'wallet' }

const security = product({
  title: 'Security',
  summary: 'Leaked API keys, which end when they are reported by whoever found them.',
  isFamilyHead: true,
  events: {
    'account.key_revoked': event({
      of: 'account',
      summary: 'An API key was reported as leaked, by someone who has the whole of it, and is revoked.',
      payload: { prefix: Type.String(), foundAt: FoundAt },
      example: EXAMPLE,
    }),
  },
  notifications: {
    'security.key_revoked': notification({
      summary: 'A key was reported as leaked and is revoked.',
      data: { prefix: Type.String(), foundAt: FoundAt },
      example: EXAMPLE,
      subject: ({ prefix }) => `Your API key ${prefix}… has leaked and is revoked`,
      text: ({ prefix, foundAt }, { publicUrl }) =>
        `someone has sent us the whole of your API key ${prefix}…, so it is revoked: calls with it are refused since.\n\n${foundAt ? `Where it was found, as the report says (we have not checked it): ${foundAt}\n\n` : ''}Create another key at ${publicUrl}/dashboard/keys and look for calls that are not yours at ${publicUrl}/dashboard/ledger?key=${prefix}\n`,
    }),
    'security.sign_in_added': notification({
      summary: 'A wallet or sign-in was linked to an account.',
      data: { kind: Type.String(), name: Type.String() },
      example: { kind: 'github', name: 'a…@example.com' },
      subject: ({ kind }) => `A sign-in by ${KIND_TITLES[kind] ?? kind} was added to your account`,
      text: ({ kind, name }, { publicUrl }) =>
        `${KIND_TITLES[kind] ?? kind} ${name} was linked to your account and can sign in to it from now on.\n\nIf you did not do this, remove it within three days at ${publicUrl}/dashboard/account and revoke your keys at ${publicUrl}/dashboard/keys\n`,
    }),
    'security.sign_in_removed': notification({
      summary: 'A wallet or sign-in was unlinked from an account.',
      data: { kind: Type.String(), name: Type.String() },
      example: { kind: 'github', name: 'a…@example.com' },
      subject: ({ kind }) => `A sign-in by ${KIND_TITLES[kind] ?? kind} was removed from your account`,
      text: ({ kind, name }, { publicUrl }) =>
        `the sign-in by ${KIND_TITLES[kind] ?? kind}, ${name}, was removed from your account and cannot sign in to it any more. API keys work on.\n\nIf you did not do this, sign in by another way that is linked, remove what you do not know at ${publicUrl}/dashboard/account and revoke your keys at ${publicUrl}/dashboard/keys\n`,
    }),
    'security.prefix_reported': notification({
      summary: 'The beginning of a key was reported as leaked. Nothing is revoked.',
      data: { prefix: Type.String() },
      example: { prefix: EXAMPLE.prefix },
      subject: ({ prefix }) => `Your API key ${prefix}… may have leaked`,
      text: ({ prefix }, { publicUrl }) =>
        `someone has reported the beginning of your API key, ${prefix}…, as found where it should not be. The beginning alone is no proof, so the key still works.\n\nIf the key may be known to others, replace it at ${publicUrl}/dashboard/keys\n`,
    }),
  },
  settings: {
    'rate.key_reports_per_minute': numberSetting(
      30,
      1,
      1_000_000,
      'Reports of leaked keys per minute of one IP address, each with up to 100 keys.',
    ),
  },
})

export default security

declare module '../../kit/product.ts' {
  interface Products {
    security: typeof security
  }
}
