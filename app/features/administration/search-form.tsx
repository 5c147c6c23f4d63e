import { Form } from "react-router";
import { Button } from "~/lib/ui/inputs/button";
import { TextInput } from "~/lib/ui/inputs/text-input";

type SearchFormProps = {
  to: string;
  name: string;
  value: string;
  label: string;
  placeholder?: string;
  maxLength: number;
  submit: string;
};

export function SearchForm({ to, name, value, label, placeholder = label, maxLength, submit }: SearchFormProps) {
  return (
    <Form method="get" action={to} role="search" className="flex flex-wrap gap-2">
      <TextInput
        key={value}
        type="search"
        name={name}
        aria-label={label}
        placeholder={placeholder}
        defaultValue={value}
        maxLength={maxLength}
        className="min-w-0 flex-1"
      />
      <Button type="submit">{submit}</Button>
    </Form>
  );
}
