import { type Db, value } from '../db.ts'

export async function forgetTrialUses(db: Db): Promise<void> {
  await value(db, 'select trial.forget_uses()')
}
