import type { Customer } from './customer.ts'

interface EndedJob {
  status: string
  actualMicros: string
  // biome-ignore lint/suspicious/noExplicitAny: each story reads the fields of the result that it expects.
  result: any
}

export async function waitForTicket(customer: Customer, subject: string, id: string): Promise<EndedJob> {
  const asked = { subject, method: 'GET', path: `/v1/jobs/${id}?wait=5` } as const
  const { body } = await customer.insist(asked, ({ status, body }) => status === 200 && body.finishedAt !== undefined)
  return body
}
