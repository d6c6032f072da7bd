import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Let only one agent do it at a time',
  lead: 'A lock with a name. It ends by itself when its holder dies, and gives a number by which a late holder can be told.',
  keywords: 'lock, mutex, lease, coordination, agents, concurrency, fence',
  steps: [
    {
      call: 'bridge.acquire-lock',
      note: 'Wait up to ten seconds for it.',
      input: { name: 'how-to-deploy', ttlSeconds: 30, waitSec: 10 },
      as: 'lock',
    },
    {
      call: 'bridge.release-lock',
      note: 'Do the work, then give it back.',
      input: { name: 'how-to-deploy', token: answerField('lock', 'token') },
    },
  ],
  pitfalls: [
    'A holder that pauses longer than `ttlSeconds` has lost the lock without knowing. Give `fence` to what the lock protects and let it refuse lower numbers.',
    'Renew before the time is half over, not at its end.',
    'Locks belong to your account: two accounts with the same name do not meet, unless both give the same `channel`.',
    'Callers that wait get the lock in the order in which they came to one server.',
  ],
})
