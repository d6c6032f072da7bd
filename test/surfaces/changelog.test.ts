import { expect, test } from 'vitest'
import { CHANGELOG, parseChangelog } from '../../api/surfaces/changelog.ts'

test('releases, kinds and items that go on over several lines are read', () => {
  const text =
    '# Changelog\n\nAll.\n\n## Unreleased\n\n### Added\n- One\n  thing.\n- `two`\n\n### Fixed\n- Three.\n\n## 0.1.0 - 2026-01-02\n\nThe first.\n'
  expect(parseChangelog(text)).toEqual([
    {
      version: 'Unreleased',
      changes: [
        { kind: 'Added', text: 'One thing.' },
        { kind: 'Added', text: '`two`' },
        { kind: 'Fixed', text: 'Three.' },
      ],
    },
    { version: '0.1.0', date: '2026-01-02', summary: 'The first.', changes: [] },
  ])
  expect(parseChangelog('')).toEqual([])
})

test('our own changelog has only the known kinds, and no empty items', () => {
  expect(CHANGELOG.length).toBeGreaterThan(1)
  for (const { kind, text } of CHANGELOG.flatMap(({ changes }) => changes)) {
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(kind)
    expect(text).not.toBe('')
  }
})
