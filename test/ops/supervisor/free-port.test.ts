import { expect, test } from 'vitest'
import { checkPortsDiffer } from '../../../ops/supervisor/free-port.ts'

const PORTS = {
  ...{ host: '127.0.0.1', port: 8080, adminHost: '127.0.0.1', adminPort: 8081, workerAdminPort: 8082 },
  ...{ devChainPort: 8083, console: { host: '127.0.0.1', port: 8083 } },
}

test('the port of the local chain differs from the others, if there is a chain', () => {
  expect(() => checkPortsDiffer({ ...PORTS, hasDevChain: false })).not.toThrow()
  expect(() => checkPortsDiffer({ ...PORTS, hasDevChain: true })).toThrow(
    'DEV_CHAIN_PORT and CONSOLE_PORT are both 8083; set one of them to another port.',
  )
})
