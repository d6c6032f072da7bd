import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Prove what a call was charged',
  lead: 'Every call has a signed receipt: what it was, hashes of what went in and came out, its price, its time and its payer.',
  keywords: 'receipt, proof, audit, accounting, signed, invoice, verify',
  steps: [
    {
      call: 'utils.hash',
      note: 'Any call. Its job id is also in the header X-Service-Job-Id.',
      input: { text: 'hello', async: true },
      as: 'ticket',
    },
    {
      call: 'jobs.read',
      note: 'A receipt is there when the job has ended.',
      input: { id: answerField('ticket', 'id'), wait: 30 },
    },
    { call: 'jobs.receipt', note: 'The receipt.', input: { id: answerField('ticket', 'id') } },
  ],
  pitfalls: [
    'Keep the receipt. Hashes of the output are in it only as long as the job keeps its result, which is a week.',
    'Check it offline with `verifyReceipt` of the clients, or the program at `/v1/witness/verifier`, and the keys at `/.well-known/jwks.json`. `request_sha256` is of method, path with query, and content type, each with a line feed behind it, and then the body as sent. `result_sha256` is of the canonical JSON (RFC 8785) of the `result` of the job, if it has no files.',
    'A call that failed has a receipt too, of a charge of zero.',
    'Calls that are paid by x402 carry an offer and a receipt of that protocol as well.',
  ],
})
