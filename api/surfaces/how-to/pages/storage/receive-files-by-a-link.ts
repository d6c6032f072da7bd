import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Receive messages and files by a link',
  lead: 'A mailbox takes messages from anybody who has its link, by a page or by a program. Only you can read them.',
  keywords: 'mailbox, inbox, upload link, drop, form, collect files, webhook receiver',
  steps: [
    {
      call: 'leases.create-mailbox',
      note: 'A mailbox for an hour. Pass drop_url on.',
      input: { duration_seconds: 3600, capacity_bytes: 1_048_576 },
      as: 'mailbox',
    },
    {
      call: 'leases.drop-message',
      note: 'What a sender does. The token in the address is all it takes.',
      input: { drop_token: answerField('mailbox', 'drop_url', 1), file: { text: 'Order A-17, two pieces.' } },
    },
    {
      call: 'leases.list-messages',
      note: 'What has arrived?',
      input: { lease_id: answerField('mailbox', 'lease_id') },
    },
  ],
  pitfalls: [
    'The link can be passed on by those who have it. `rotate-drop-token` gives a new one and ends the former.',
    'The list is without contents: `GET /api/mailbox/{lease_id}/messages/{message_id}` has them. Everything is deleted when the time is over; `export-messages` has all of it before.',
    'When the mailbox is full senders get `MAILBOX_FULL`; delete what you have read.',
    'What arrives comes from strangers: neither its name nor its type can be trusted.',
  ],
})
