import { numberSetting, product } from '#kit'

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
  settings: {
    'rate.token_per_minute': numberSetting(
      600,
      1,
      1_000_000,
      'Requests per minute of one IP address for tokens of connectors.',
    ),
    'rate.register_per_minute': numberSetting(
      30,
      1,
      1_000_000,
      'MCP clients per minute that one IP address may register.',
    ),
    'mcp.max_waiting_clients': numberSetting(
      20_000,
      1,
      10_000_000,
      'MCP clients that are registered and not yet approved by an account; of more, the oldest are deleted.',
    ),
  },
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
