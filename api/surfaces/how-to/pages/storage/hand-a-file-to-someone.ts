import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Hand a file to someone without an account',
  lead: 'Store a file and make a link that works once. A preview by a mail scanner does not use it up, because only a POST takes the file.',
  keywords: 'share, handoff, link, one-time download, secret, send file, pin',
  steps: [
    {
      call: 'leases.create-storage',
      note: 'Keep the file for an hour, and delete it when it was taken.',
      input: { file: { text: 'The door code is 2580.' }, duration_seconds: 3600, delete_on_claim: true },
      as: 'lease',
    },
    {
      call: 'leases.issue-handoff',
      note: 'The link is claim_url. It works once, or as often as max_claims says.',
      input: { id: answerField('lease', 'lease_id'), pin: '4711' },
      as: 'handoff',
    },
    {
      call: 'leases.claim-handoff',
      note: 'What a program of the recipient does, without a key; people open the link.',
      isAnonymous: true,
      input: { token: answerField('handoff', 'claim_url', 0), pin: '4711' },
    },
  ],
  pitfalls: [
    'Send the PIN by another way than the link. After five wrong ones the link is locked.',
    'The price follows from the size and the time that you reserve, not from what you store.',
    'Ending a lease early gives no money back, and it cannot be extended.',
    'A claim that broke off may be repeated for five minutes with the `X-Claim-Receipt` of its answer.',
  ],
})
