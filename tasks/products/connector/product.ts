import { product } from '#kit'

const connector = product({
  title: 'Connectors',
  summary: 'Applications that may use an account within limits.',
  exported: 'connector.export_account',
  erase: 'connector.erase_account',
  retention: [
    {
      of: 'codes and tokens',
      after: 'their time',
      removedBy: 'chore connector.forget',
      countedBy: 'connector.count_due',
    },
  ],
  family: 'account',
  dashboard: { path: '/dashboard/connectors', position: 60 },
  problems: {
    CONNECTION_REFUSED: [400, 'The application has asked for a connection in a way that cannot be accepted.'],
    TOO_MANY_CONNECTORS: [409, 'The account has as many connectors as it can have; revoke one first.'],
  },
})

export default connector

declare module '../../kit/product.ts' {
  interface Products {
    connector: typeof connector
  }
}
