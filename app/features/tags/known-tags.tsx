export function KnownTags({ id, tags }: { id: string; tags: string[] }) {
  return (
    <datalist id={id}>
      {tags.map((tag) => (
        <option key={tag} value={tag} dir="auto">
          {tag}
        </option>
      ))}
    </datalist>
  );
}
