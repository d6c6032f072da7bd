import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openSealKey } from '../../../ops/products/esigndoc/keys.ts'
import { openDb } from '../../../sql/db.ts'
import { listSealRoots } from '../../../sql/esigndoc/seal-key.ts'
import { freshDatabase } from '../../support/database/fresh.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const CONFIG = { secret: 'a secret of more than enough letters', publicUrl: 'https://sign.example.com' }
const NOW = new Date('2026-11-25T12:00:00Z')

test('all hosts seal with one key, which is certified, kept under the secret, and renewed under the same root', async () => {
  await using database = await freshDatabase()
  await using folder = await freshFolder()
  const db = openDb(database.url, { name: 'seal keys' })
  const [one, other] = await Promise.all([openSealKey(db, CONFIG, NOW), openSealKey(db, CONFIG, NOW)])
  expect(other.leaf.certificate.fingerprint256).toBe(one.leaf.certificate.fingerprint256)
  expect(one.leaf.key.asymmetricKeyDetails).toMatchObject({ modulusLength: 3072 })

  writeFileSync(`${folder.path}/root.pem`, one.root.toString())
  writeFileSync(`${folder.path}/leaf.pem`, one.leaf.certificate.toString())
  const verify = ['verify', '-x509_strict', '-CAfile', 'root.pem', '-purpose', 'smimesign', 'leaf.pem']
  expect(execFileSync('openssl', verify, { cwd: folder.path, encoding: 'utf8' })).toContain('leaf.pem: OK')
  const text = execFileSync('openssl', ['x509', '-in', 'leaf.pem', '-noout', '-text'], {
    cwd: folder.path,
    encoding: 'utf8',
  })
  expect(text).toMatch(/Digital Signature, Non Repudiation/)
  expect(text).toContain('CN = Document seal of sign.example.com')

  await expect(openSealKey(db, { ...CONFIG, secret: 'another secret of enough letters' }, NOW)).rejects.toThrow(
    'SECRET',
  )

  const later = await openSealKey(db, CONFIG, new Date('2031-11-01T00:00:00Z'))
  expect(later.leaf.certificate.fingerprint256).not.toBe(one.leaf.certificate.fingerprint256)
  expect(later.root.fingerprint256).toBe(one.root.fingerprint256)
  const muchLater = await openSealKey(db, CONFIG, new Date('2044-01-01T00:00:00Z'))
  expect(muchLater.root.fingerprint256).not.toBe(one.root.fingerprint256)
  expect(await listSealRoots(db)).toHaveLength(2)
  await db.end()
})
