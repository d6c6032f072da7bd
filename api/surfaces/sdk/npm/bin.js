#!/usr/bin/env node
import { installation } from './catalog.js'
import { main } from './cli/main.js'
import { Coinop } from './index.js'
import { version } from './version.js'

process.exitCode = await main(process.argv.slice(2), { installation, version, open: options => new Coinop(options) })
