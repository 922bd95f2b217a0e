import { Select } from '@mantine/core';
import type { Role } from '../../api/types';

const ROLES: { value: Role; label: string }[] = [
  { value: 'guest', label: 'Guest: sees what the team runs' },
  { value: 'user', label: 'User: runs jobs' },
  { value: 'admin', label: 'Admin: also manages people' },
];

export function RoleSelect({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <Select
      label="Role"
      allowDeselect={false}
      data={ROLES}
      value={value}
      onChange={(role) => role && onChange(role as Role)}
    />
  );
}
