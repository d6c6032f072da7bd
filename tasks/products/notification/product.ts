import { numberSetting, product } from '#kit'

const notification = product({
  title: 'Notifications',
  summary: 'Messages to the owner of an account and to people who take part, and what became of them.',
  family: 'account',
  dashboard: { path: '/dashboard/notifications', position: 75 },
  settings: {
    'notification.days': numberSetting(90, 1, 3_650, 'How long notifications are kept, in days.'),
  },
  retention: [{ of: 'notifications', after: 'notification.days', removedBy: 'chore notification.forget' }],
  exported: 'notification.export_account',
  erase: 'notification.erase_account',
})

export default notification

declare module '../../kit/product.ts' {
  interface Products {
    notification: typeof notification
  }
}
