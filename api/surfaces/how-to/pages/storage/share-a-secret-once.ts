import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Share a secret that can be read once',
  lead: 'A token opens the text one time. Then it is deleted, whoever has the token.',
  keywords: 'one-time secret, burn after reading, password, share, token, pass',
  steps: [
    {
      call: 'storage.pass',
      note: 'For a day, with a token for one reading.',
      input: { tier: 'femto', content: 'The password is correct horse.', tokens: [{ type: 'read', reads_allowed: 1 }] },
      as: 'secret',
    },
    {
      call: 'baton.read',
      note: 'What the recipient does, without a key: the token is all it takes.',
      isAnonymous: true,
      input: { id: answerField('secret', 'tokens.0.id') },
    },
  ],
  pitfalls: [
    'The service can read what it stores. Encrypt before, if not even the operator may.',
    'A token in a chat is opened by the preview of that chat. Send it by a way that opens no links, or use a handoff, which only a POST takes.',
    'The tier says how long it lives and how much can be read. It is paid once, at the start. For another time, give a `customShape` in its place: `sizeBytes`, `maxEgressBytes`, and `durationSeconds`, which is 3,600 for an hour.',
    'Whether it was read is in the log: `GET /v1/baton/{id}/event-logs`.',
  ],
})
