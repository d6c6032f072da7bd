import { type Db, value } from '../db.ts'

/** What an operator watches of the database, beside the queues and the ledger. */
interface Figures {
  /** Jobs that hold money. */
  holds: { open: number; oldest_seconds: number }
  /** Payments whose end is not known yet, by state. */
  payments: { state: string; count: number; oldestSeconds: number }[]
  webhooks: { due: number; oldest_seconds: number; disabled: number }
  openIncidents: number
}

export function readFigures(db: Db): Promise<Figures> {
  return value(db, 'select installation.measure()')
}
