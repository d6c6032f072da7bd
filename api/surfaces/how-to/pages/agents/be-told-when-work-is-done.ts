import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Be told when work is done',
  lead: 'A webhook sends each event to your address, signed, and tries again when you do not answer.',
  keywords: 'webhook, callback, notification, event, signature, job completed',
  steps: [
    {
      call: 'webhooks.register',
      note: 'The secret is in this answer only.',
      input: { url: 'https://example.com/hooks/coinop', events: ['job.completed'], description: 'Job results' },
      as: 'webhook',
    },
    {
      call: 'webhooks.update',
      note: 'Pause it while you deploy.',
      input: { id: answerField('webhook', 'id'), active: false },
    },
    { call: 'webhooks.remove', note: 'Or remove it.', input: { id: answerField('webhook', 'id') } },
  ],
  pitfalls: [
    'Check the signature over the raw body, before you parse it: `verifyWebhook` of the clients does, or any library of Standard Webhooks.',
    'An event can arrive twice and out of order. Keep `webhook-id`, and order by `sequence`.',
    'The address is public and starts with https. Answer 2xx within 15 seconds and do the work afterwards; redirects are not followed.',
    'An address that answers 410, or fails for days, is disabled.',
  ],
})
