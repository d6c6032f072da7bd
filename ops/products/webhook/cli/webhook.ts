import { listDeliveries, listWebhooks, redeliver } from '../../../../sql/webhook/index.ts'
import { formatTable, parseCount, parseId } from '../../../cli/print.ts'
import { type Runs, UsageError } from '../../../cli/verb.ts'

export const runs: Runs = {
  async list({ db }, [account]) {
    const webhooks = await listWebhooks(db, parseId('an account', account))
    const lines = webhooks.map(({ id, url, active, consecutiveFailures, disabledReason }) => {
      const failures = consecutiveFailures > 0 ? `${consecutiveFailures} failures` : 'healthy'
      return [id, url, active ? failures : `disabled: ${disabledReason ?? 'by its owner'}`]
    })
    return { data: webhooks, text: formatTable(['id', 'url', 'state'], lines) }
  },
  async deliveries({ db }, [account, webhook], { limit }) {
    const query = { accountId: parseId('an account', account), id: parseId('a webhook', webhook) }
    const found = await listDeliveries(db, { ...query, limit: parseCount('--limit', limit, 20), offset: 0 })
    if (!found) throw new UsageError(`The account has no webhook ${webhook}.`)
    const lines = found.map(({ id, event, status, attempts, errorMessage }) => {
      return [id, event, status, String(attempts), errorMessage ?? '']
    })
    return { data: found, text: formatTable(['id', 'event', 'status', 'attempts', 'error'], lines) }
  },
  async redeliver({ db }, [account, webhook, delivery]) {
    const [owner, id] = [parseId('an account', account), parseId('a webhook', webhook)]
    return { data: await redeliver(db, owner, id, parseId('a delivery', delivery)), text: 'due now' }
  },
}
