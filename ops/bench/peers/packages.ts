import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Exact versions, so that figures of different days compare. They are no dependencies of the service. */
export const PEERS = {
  ipx: '3.1.1',
  'pg-boss': '12.38.0',
  express: '5.2.1',
  '@x402/express': '2.27.0',
  '@x402/core': '2.27.0',
  '@x402/evm': '2.27.0',
} as const

/** Installs the peers into a folder of their own at the first use and gives the folder. */
export function installPeers(dataDir: string): string {
  const folder = join(dataDir, 'bench-peers')
  const manifest = JSON.stringify({ private: true, dependencies: PEERS })
  const path = join(folder, 'package.json')
  const isInstalled = existsSync(join(folder, 'node_modules')) && readFileSync(path, 'utf8') === manifest
  if (isInstalled) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, manifest)
  const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const { status, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8' })
  if (status === 0) return folder
  writeFileSync(path, '{}')
  throw new Error(`npm could not install the peers: ${stderr.trim().split('\n').at(0) ?? ''}`)
}
