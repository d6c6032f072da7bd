import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Run long work in the background',
  lead: 'Any operation can answer at once with a ticket. Read the ticket when you like; the result is kept for a week.',
  keywords: 'async, ticket, job, background, long running, poll, progress',
  steps: [
    {
      call: 'pdf.ocr',
      note: 'A ticket at once.',
      input: { file: 'sample:scan.pdf', async: true },
      as: 'ticket',
    },
    {
      call: 'jobs.read',
      note: 'Wait for its end, for up to 30 seconds at a time.',
      input: { id: answerField('ticket', 'id'), wait: 30 },
    },
  ],
  pitfalls: [
    'A call that takes longer than about 25 seconds becomes a ticket by itself, so be ready for 202. The clients wait for you.',
    'The price is held when the call is made and charged when it succeeds. A failed job costs nothing.',
    'Send an `Idempotency-Key`: a repeat after a lost answer gets the same ticket and is charged once. The clients do.',
    'Results are kept for a week, files for a day.',
  ],
})
